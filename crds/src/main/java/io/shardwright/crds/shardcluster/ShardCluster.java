package io.shardwright.crds.shardcluster;

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

/** The topology of one sharded database: engine, buckets, tables, shards, logins, and the routers that must acknowledge. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("shc")
@Categories(Names.CATEGORY)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                description: 'The topology of one sharded database: engine, buckets, tables, shards, logins and routers.'
                properties:
                  spec: {description: 'What is declared.'}
                  status: {description: 'What was found, what is being done, and what to do next.'}
                """)
@AdditionalPrinterColumn(name = "Engine", jsonPath = ".spec.engine")
@AdditionalPrinterColumn(name = "Shards", jsonPath = ".status.shardCount", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Buckets", jsonPath = ".spec.sharding.buckets", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Revision", jsonPath = ".status.routing.revision", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Acked", jsonPath = ".status.routing.acked.total")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type=='Ready')].status")
@AdditionalPrinterColumn(name = "Activity", jsonPath = ".status.activity.what")
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@ValidationRule(
        value = """
                (self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')
                && self.spec.shards.all(s, size(self.metadata.name) + size(s.name) <= 53))
                || (oldSelf.hasValue() && self.spec.shards == oldSelf.value().spec.shards)""",
        optionalOldSelf = true,
        fieldPath = ".spec.shards",
        message =
                "the cluster's name must be a DNS label, and cluster and shard name together at most 53 characters long:"
                        + " choose shorter names")
@ValidationRule(
        value = """
                !has(oldSelf.status) || !has(oldSelf.status.shards)
                || oldSelf.status.shards.filter(n, oldSelf.status.shards[n].buckets > 0).size()
                == self.spec.shards.filter(s, s.name in oldSelf.status.shards
                && oldSelf.status.shards[s.name].buckets > 0).size()
                || self.spec.shards == oldSelf.spec.shards""",
        fieldPath = ".spec.shards",
        message = "a shard that owns buckets cannot leave the list: drain it with weight 0 first",
        messageExpression = """
                'a shard that owns buckets cannot leave the list (%d buckets would lose their shard): drain it with weight 0 first'
                .format([oldSelf.status.shards.map(n, oldSelf.status.shards[n].buckets).sum()
                - self.spec.shards.filter(s, s.name in oldSelf.status.shards)
                .map(s, oldSelf.status.shards[s.name].buckets).sum()])""")
@ValidationRule(
        value = """
                !has(oldSelf.status) || !has(oldSelf.status.shards)
                || oldSelf.status.shards.filter(n, oldSelf.status.shards[n].?pins.orValue(0) > 0).size()
                == self.spec.shards.filter(s, s.name in oldSelf.status.shards
                && oldSelf.status.shards[s.name].?pins.orValue(0) > 0).size()
                || self.spec.shards == oldSelf.spec.shards""",
        fieldPath = ".spec.shards",
        message = "a shard that serves pinned keys cannot leave the list: remove their pins from the ShardPolicy first",
        messageExpression = """
                'a shard that serves pinned keys cannot leave the list (%d keys would lose their shard): remove their pins from the ShardPolicy first, and wait until the keys have gone back'
                .format([oldSelf.status.shards.map(n, oldSelf.status.shards[n].?pins.orValue(0)).sum()
                - self.spec.shards.filter(s, s.name in oldSelf.status.shards)
                .map(s, oldSelf.status.shards[s.name].?pins.orValue(0)).sum()])""")
@ValidationRule(
        value = "!has(oldSelf.status) || has(self.status)",
        fieldPath = ".status",
        message = "the status cannot be removed: it holds the identity of the databases")
public class ShardCluster extends CustomResource<ShardClusterSpec, ShardClusterStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public ShardClusterSpec getSpec() {
        return super.getSpec();
    }
}
