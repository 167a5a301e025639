package io.shardwright.crds.bucketmove;

import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.shardwright.crds.Names;

/** One online move of buckets, made by the operator from an approved plan, or by hand. Its uid names it in the databases. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("bm")
@Categories(Names.CATEGORY)
public class BucketMove extends CustomResource<BucketMoveSpec, BucketMoveStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public BucketMoveSpec getSpec() {
        return super.getSpec();
    }
}
