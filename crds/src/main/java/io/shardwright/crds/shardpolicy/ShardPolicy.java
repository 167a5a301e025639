package io.shardwright.crds.shardpolicy;

import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.shardwright.crds.Names;

/** What a team tolerates: when buckets may move, how long a write may wait, who is asked. One for each ShardCluster. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@Plural("shardpolicies")
@ShortNames("shp")
@Categories(Names.CATEGORY)
public class ShardPolicy extends CustomResource<ShardPolicySpec, ShardPolicyStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public ShardPolicySpec getSpec() {
        return super.getSpec();
    }
}
