package io.shardwright.crds.shardpolicy;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;

/** What a team tolerates: when buckets may move, how long a write may wait, who is asked. One for each ShardCluster. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@Plural("shardpolicies")
@ShortNames("shp")
@Categories(Names.CATEGORY)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                description: 'What a team tolerates while buckets move between the shards of one ShardCluster.'
                properties:
                  spec: {description: 'What is tolerated. To delete a policy stops nothing: what runs goes on by the defaults, and each move of a plan by its own soak and writeHoldBudget. To stop, set spec.suspend of the ShardCluster.'}
                  status: {description: 'The plan, and whether it may run.'}
                """)
@AdditionalPrinterColumn(name = "Cluster", jsonPath = ".spec.clusterRef.name")
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".spec.rebalancing.mode")
@AdditionalPrinterColumn(name = "Plan", jsonPath = ".status.plan.hash")
@AdditionalPrinterColumn(name = "Approved", jsonPath = ".status.conditions[?(@.type=='PlanApproved')].status")
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
public class ShardPolicy extends CustomResource<ShardPolicySpec, ShardPolicyStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public ShardPolicySpec getSpec() {
        return super.getSpec();
    }
}
