package io.shardwright.e2e.demo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopTopology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;

/** What people do about a plan: the policy that asks for one, a look at what it proposes, the approval by its hash. */
public final class PlanDesk {
    private static final Duration PLAN_LIMIT = Duration.ofSeconds(30);
    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    /** Of the shipped policy. */
    private static final String POLICY = "orders";

    private final Stage stage;

    public PlanDesk(Stage stage) {
        this.stage = stage;
    }

    /**
     * The shipped policy, but for its soak.
     *
     * @param soak with 0s moves are cleaned up at once, for nobody waits for an hour here
     */
    public void applyPolicy(String soak) {
        stage.apply(policy(soak)).orThrow();
    }

    private String policy(String soak) {
        try {
            String shipped = Files.readString(stage.checkout().manifests().resolve("examples/shop/policy.yaml"));
            ObjectNode policy = YAML.unmarshal(shipped, ObjectNode.class);
            ((ObjectNode) policy.at("/spec/rebalancing")).put("soak", soak);
            return YAML.asYaml(policy);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a plan that moves something. */
    public ShardPolicyStatus.Plan proposed() {
        stage.await(
                "a plan in the ShardPolicy's status",
                PLAN_LIMIT,
                () -> plan().filter(plan -> !plan.moves().isEmpty()).isPresent());
        return plan().orElseThrow();
    }

    public ShardPolicy policy() {
        return stage.client()
                .resources(ShardPolicy.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .list()
                .getItems()
                .get(0);
    }

    /** What the status shows now. */
    Optional<ShardPolicyStatus.Plan> plan() {
        return Optional.ofNullable(policy().getStatus()).map(ShardPolicyStatus::plan);
    }

    /** What {@link #approve} patches the policy with. */
    static String approval(ShardPolicyStatus.Plan plan) {
        return "{\"spec\":{\"rebalancing\":{\"approvedPlan\":\"" + plan.hash() + "\"}}}";
    }

    /** As somebody with the role shardwright-approver. */
    public void approve(ShardPolicyStatus.Plan plan) {
        stage.people()
                .approver()
                .mergePatch("shardpolicy", POLICY, ShopTopology.NAMESPACE, approval(plan))
                .orThrow();
    }

    /** Another spec of the policy, as an engineer. */
    public void change(String patch) {
        stage.people()
                .engineer()
                .mergePatch("shardpolicy", POLICY, ShopTopology.NAMESPACE, patch)
                .orThrow();
    }
}
