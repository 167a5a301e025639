package io.shardwright.crds.shardcluster;

import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.shardwright.crds.Names;

/** The topology of one sharded database: engine, buckets, tables, shards, logins, and the routers that must acknowledge. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("shc")
@Categories(Names.CATEGORY)
public class ShardCluster extends CustomResource<ShardClusterSpec, ShardClusterStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public ShardClusterSpec getSpec() {
        return super.getSpec();
    }
}
