package io.shardwright.operator.access;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.operator.ClusterKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks the API server about a token: TokenReview for its owner, SubjectAccessReview for the owner's rights. */
final class AccessReviews {
    private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
    private static final String POD_UID = "authentication.kubernetes.io/pod-uid";

    private final KubernetesClient client;
    private final String audience;

    AccessReviews(KubernetesClient client, String audience) {
        this.client = client;
        this.audience = audience;
    }

    /** @throws io.fabric8.kubernetes.client.KubernetesClientException when the API server did not answer or refused us */
    Admission review(String token, ClusterKey cluster) {
        TokenReview review = client.resource(new TokenReviewBuilder()
                        .withNewSpec()
                        .withToken(token)
                        .withAudiences(audience)
                        .endSpec()
                        .build())
                .create();
        if (!isGood(review)) {
            return new Admission.Unauthenticated("the token is not valid for audience " + audience);
        }
        UserInfo user = review.getStatus().getUser();
        if (!mayRead(user, cluster)) {
            return new Admission.Forbidden(user.getUsername() + " may not get routingtables.shardwright.io " + cluster);
        }
        return new Admission.Admitted(new RouterIdentity(user.getUsername(), boundPod(user)));
    }

    private boolean isGood(TokenReview review) {
        return review.getStatus() != null
                && Boolean.TRUE.equals(review.getStatus().getAuthenticated())
                && review.getStatus().getAudiences() != null
                && review.getStatus().getAudiences().contains(audience)
                && review.getStatus().getUser() != null
                && review.getStatus().getUser().getUsername() != null;
    }

    private boolean mayRead(UserInfo user, ClusterKey cluster) {
        SubjectAccessReview review = client.authorization()
                .v1()
                .subjectAccessReview()
                .create(new SubjectAccessReviewBuilder()
                        .withNewSpec()
                        .withUser(user.getUsername())
                        .withUid(user.getUid())
                        .withGroups(user.getGroups())
                        .withExtra(user.getExtra())
                        .withNewResourceAttributes()
                        .withGroup("shardwright.io")
                        .withResource("routingtables")
                        .withVerb("get")
                        .withNamespace(cluster.namespace())
                        .withName(cluster.name())
                        .endResourceAttributes()
                        .endSpec()
                        .build());
        return review.getStatus() != null
                && Boolean.TRUE.equals(review.getStatus().getAllowed());
    }

    private static Optional<RouterIdentity.BoundPod> boundPod(UserInfo user) {
        Map<String, List<String>> extra = Optional.ofNullable(user.getExtra()).orElse(Map.of());
        List<String> name = extra.getOrDefault(POD_NAME, List.of());
        List<String> uid = extra.getOrDefault(POD_UID, List.of());
        if (name.size() != 1 || uid.size() != 1) {
            return Optional.empty();
        }
        return Optional.of(new RouterIdentity.BoundPod(name.get(0), uid.get(0)));
    }
}
