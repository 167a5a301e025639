package io.shardwright.crds.routingtable;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;

/** What routers read: the owner of each bucket. Named like its ShardCluster; people cannot edit it. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("rt")
@Categories(Names.CATEGORY)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                description: 'What routers read, the owner of each bucket. Written by the operator only.'
                properties:
                  spec: {description: 'The table.'}
                  status: {description: 'Who routes by it.'}
                """)
@AdditionalPrinterColumn(name = "Revision", jsonPath = ".spec.revision", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Worker", jsonPath = ".status.acked.worker")
@AdditionalPrinterColumn(name = "Web", jsonPath = ".status.acked.web")
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@ValidationRule(
        value =
                "(oldSelf.hasValue() && self.spec.cluster == oldSelf.value().spec.cluster) || self.metadata.name == self.spec.cluster",
        optionalOldSelf = true,
        fieldPath = ".spec.cluster",
        message = "a RoutingTable has the name of its ShardCluster: set cluster to the object's name")
public class RoutingTable extends CustomResource<RoutingTableSpec, RoutingTableStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public RoutingTableSpec getSpec() {
        return super.getSpec();
    }
}
