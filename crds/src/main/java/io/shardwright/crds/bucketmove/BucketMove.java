package io.shardwright.crds.bucketmove;

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

/** One online move of buckets or of pinned keys, made by the operator from an approved plan, or by hand. Its uid names it in the databases. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@ShortNames("bm")
@Categories(Names.CATEGORY)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                description: 'One online move of buckets, or of keys, from one shard to another.'
                properties:
                  spec: {description: 'What moves; immutable but for intent.'}
                  status: {description: 'How the move stands and how it came there.'}
                """)
@AdditionalPrinterColumn(name = "From", jsonPath = ".spec.from")
@AdditionalPrinterColumn(name = "To", jsonPath = ".spec.to")
@AdditionalPrinterColumn(name = "Buckets", jsonPath = ".spec.buckets")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "Rows", jsonPath = ".status.progress.rowsCopied", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Lag", jsonPath = ".status.progress.lagBytes", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Hold", jsonPath = ".status.hold.actualMs", type = Type.NUMBER)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@ValidationRule(
        value = """
                self.spec.intent == oldSelf.spec.intent || oldSelf.spec.intent != 'Abort'
                || (self.spec.intent in ['Reverse', 'Complete'] && self.?status.?phase.orValue('') in ['Publishing', 'Reversible'])""",
        fieldPath = ".spec.intent",
        message = "an abort cannot be taken back: create a new BucketMove; what was switched before the abort can be"
                + " given Reverse or Complete while the phase is Publishing or Reversible")
@ValidationRule(
        value = """
                self.spec.intent == oldSelf.spec.intent || self.spec.intent != 'Abort'
                || !oldSelf.?status.?pointOfNoReturn.orValue(false)""",
        fieldPath = ".spec.intent",
        message =
                "the move is past its point of no return and cannot be aborted: create a BucketMove in the other direction")
@ValidationRule(
        value = """
                self.spec.intent == oldSelf.spec.intent || self.spec.intent != 'Reverse'
                || !oldSelf.?status.?pointOfNoReturn.orValue(false) || oldSelf.?status.?reversal.?pointOfNoReturn.orValue(false)""",
        fieldPath = ".spec.intent",
        message =
                "the move is past its point of no return and cannot be reversed: create a BucketMove in the other direction")
@ValidationRule(
        value = """
                self.spec.intent != 'Reverse' || (oldSelf.hasValue() && oldSelf.value().spec.intent == 'Reverse')
                || self.?status.?pointOfNoReturn.orValue(false)
                || (self.?status.?phase.orValue('') in ['Publishing', 'Reversible', 'Reversing', 'Paused', 'Blocked']
                && (has(self.status.reversal)
                || (has(self.status.conditions)
                && self.status.conditions.exists(c, c.type == 'WritesSwitched' && c.reason != 'NotSwitched'))))""",
        optionalOldSelf = true,
        fieldPath = ".spec.intent",
        message =
                "there is nothing to reverse now: set intent to Abort before the switch, to Reverse while the phase is"
                        + " Publishing or Reversible; once the move has ended, create a BucketMove in the other direction")
@ValidationRule(
        value = """
                self.spec.intent == oldSelf.spec.intent || self.spec.intent in ['Reverse', 'Pause']
                || !oldSelf.?status.?reversal.?pointOfNoReturn.orValue(false)""",
        fieldPath = ".spec.intent",
        message = "the reversal is past its point of no return: leave intent at Reverse (Pause halts the deletion), and"
                + " create a new BucketMove once it has ended")
@ValidationRule(
        value = """
                !has(oldSelf.status) || !has(oldSelf.status.pointOfNoReturn)
                || (has(self.status) && has(self.status.pointOfNoReturn))""",
        fieldPath = ".status",
        message = "status.pointOfNoReturn stays once it is there: source rows may be gone")
@ValidationRule(
        value = """
                !has(oldSelf.status) || !has(oldSelf.status.reversal)
                || (has(self.status) && has(self.status.reversal))""",
        fieldPath = ".status",
        message = "status.reversal stays once it is there: write it again as it was read, buckets may have gone back")
public class BucketMove extends CustomResource<BucketMoveSpec, BucketMoveStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    @Required
    @Override
    public BucketMoveSpec getSpec() {
        return super.getSpec();
    }
}
