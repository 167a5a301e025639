package io.shardwright.crds.routingtable;

import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.shardwright.crds.Names;

/** What routers read: the owner of each bucket. Named like its ShardCluster; people cannot edit it. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("rt")
@Categories(Names.CATEGORY)
public class RoutingTable extends CustomResource<RoutingTableSpec, RoutingTableStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public RoutingTableSpec getSpec() {
        return super.getSpec();
    }
}
