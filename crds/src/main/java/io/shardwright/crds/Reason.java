package io.shardwright.crds;

/**
 * Why a condition has its status: an API that scripts and alerts may rely on, so a word never changes its meaning. Each
 * meaning says what to do where somebody has to do something.
 */
public enum Reason {
    // --- Accepted, ResolvedRefs
    ACCEPTED("Accepted", "The spec can be obeyed."),
    RESOLVED("Resolved", "Every object that is named exists."),
    CLUSTER_NOT_FOUND(
            "ClusterNotFound", "No ShardCluster of that name is in the namespace: create it or correct clusterRef."),
    CLUSTER_NOT_ACCEPTED(
            "ClusterNotAccepted", "The ShardCluster is not accepted or not ready for moves: its conditions say why."),
    POLICY_CONFLICT(
            "PolicyConflict",
            "An older ShardPolicy is in force for the cluster: delete one of the two. This one changes nothing."),
    WINDOW_UNFIT(
            "WindowUnfit",
            "A window or a freeze cannot be obeyed, for its time zone is unknown or its cron never fires: correct it. Until then"
                    + " no move starts, switches or deletes."),
    SHARD_NOT_FOUND("ShardNotFound", "The ShardCluster has no shard of that name."),
    SHARD_NOT_GENERAL("ShardNotGeneral", "Buckets go to General shards only; a Dedicated shard serves pinned keys."),
    BUCKET_OUT_OF_RANGE("BucketOutOfRange", "The cluster has fewer buckets: they count from 0 to buckets - 1."),
    BUCKET_NOT_OWNED_BY_SOURCE(
            "BucketNotOwnedBySource", "The fence rows say that another shard owns a bucket: correct from or buckets."),
    PIN_UNFIT(
            "PinUnfit",
            "A pin cannot be obeyed: its key is none of this cluster, is pinned twice, or its shard is no Dedicated shard that takes"
                    + " keys. Correct it; until then every key stays where it is."),
    DETECTION_UNFIT(
            "DetectionUnfit",
            "A target of detection is no Dedicated shard of this cluster: correct it. Until then no key is proposed, and detected keys"
                    + " stay where they are."),
    KEY_UNFIT(
            "KeyUnfit",
            "A key is not of the cluster's keyType, or not written in its canonical text: correct spec.keys."),
    KEY_NOT_OWNED_BY_SOURCE(
            "KeyNotOwnedBySource", "The routing table says that another shard owns a key: correct from or keys."),
    KEY_TARGET_UNFIT(
            "KeyTargetUnfit",
            "Keys go to a Dedicated shard, or back to the shard that owns their bucket: name one of these in to."),
    SHARD_IN_USE("ShardInUse", "A shard left the list while a move uses it: put it back until the move has ended."),
    SHARDING_CHANGED(
            "ShardingChanged",
            "Key type, hash and number of buckets are those that the data is placed by: put them back."),
    DUPLICATE_ENDPOINT(
            "DuplicateEndpoint", "Two shards name the same host and port: each endpoint belongs to one shard."),
    SECRET_UNREADABLE(
            "SecretUnreadable",
            "A Secret is missing, lacks a key, or may not be read: create it and the Role with its resourceNames."),
    TABLE_TOO_LARGE(
            "TableTooLarge", "The routing table would exceed 900 KiB: use fewer shards or larger runs of buckets."),

    // --- Reachable
    ALL_REACHABLE("AllReachable", "Every primary answers with its known identity."),
    UNREACHABLE_SHARD("UnreachableShard", "A shard does not answer: check host, port, network and TLS."),
    ACCESS_DENIED("AccessDenied", "A database refuses a login: check user name and password in the Secret."),
    NO_PRIMARY("NoPrimary", "Instances of a shard answer, none of them as primary."),
    IDENTITY_CHANGED(
            "IdentityChanged",
            "A shard's name now leads to another database system: correct the endpoints, or accept it after an upgrade or a"
                    + " restore of the server (docs/runbooks/ShardwrightShardUnreachable.md)."),
    UNSUPPORTED_VERSION("UnsupportedVersion", "The server's version is not supported."),
    NOT_OBSERVED("NotObserved", "Not looked at yet; nothing is known."),

    // --- FenceInstalled
    INSTALLED("Installed", "The fence is installed and guards every sharded table of every shard."),
    INSTALLING("Installing", "The placement was adopted; the fence is being installed."),
    SETTINGS_UNFIT("SettingsUnfit", "A server setting does not allow moves: the message names setting and value."),
    PRIVILEGE_MISSING(
            "PrivilegeMissing", "A login lacks a privilege: run the bootstrap script of manifests/databases."),
    TABLE_MISSING("TableMissing", "A declared table is not on every shard: create it there or correct the spec."),
    SHARD_KEY_NOT_IN_PRIMARY_KEY(
            "ShardKeyNotInPrimaryKey", "A table's primary key or a unique index lacks the shard key."),
    SCHEMA_DIFFERS("SchemaDiffers", "The sharded tables differ between shards: bring them to the same definition."),
    SCHEMA_UNSUPPORTED("SchemaUnsupported", "A table uses what cannot be moved online: the message names it."),
    MISPLACED_KEYS(
            "MisplacedKeys",
            "A bucket has rows on two shards, so the placement is not adopted: remove the rows that the message names."
                    + " No write is refused meanwhile."),
    REFERENCE_TABLES_DIFFER("ReferenceTablesDiffer", "A reference table has not the same content everywhere."),
    FENCE_DAMAGED("FenceDamaged", "A fence is there but incomplete, for instance a trigger is disabled."),
    FENCE_NEWER(
            "FenceNewer",
            "A newer operator has brought the fence of a shard: run that version again. This one changes nothing, and moves"
                    + " that have begun wait, with what they have fenced."),
    OWNERSHIP_UNKNOWN(
            "OwnershipUnknown", "A bucket has no owner or two owners in the fence rows; it is frozen for moves."),

    // --- Balanced, InBalance
    IN_BALANCE("InBalance", "No bucket has to move."),
    OUT_OF_BALANCE("OutOfBalance", "Buckets would have to move; the ShardPolicy shows the plan."),
    DRAINING("Draining", "A shard of weight 0 still owns buckets."),
    PINS_OPEN("PinsOpen", "Keys are not where the pins of the ShardPolicy want them; its plan shows their moves."),

    // --- PlanApproved
    NO_PLAN("NoPlan", "There is nothing to move."),
    AWAITING_APPROVAL("AwaitingApproval", "A plan waits for its hash in rebalancing.approvedPlan."),
    APPROVED("Approved", "The plan runs."),
    PLAN_VOID(
            "PlanVoid",
            "The inputs changed by more than the plan's own moves, or the hash is of another plan: approve the new hash."),
    MANUAL("Manual", "Mode Manual: plans are not made, moves are created by hand."),

    // --- Progressing, Ready
    SETTLED("Settled", "Everything asked for is done."),
    OBSERVING("Observing", "The databases are being looked at."),
    ADOPTING("Adopting", "The placement that the databases hold is being scanned."),
    PUBLISHING("Publishing", "A routing table is being published."),
    MOVING("Moving", "Buckets are moving."),
    SUSPENDED("Suspended", "spec.suspend is true: no new action of any kind."),
    MAINTENANCE("Maintenance", "The annotation shardwright.io/maintenance holds new actions."),
    OUTSIDE_WINDOWS(
            "OutsideWindows",
            "No window of the ShardPolicy is open: nothing new starts, nothing is switched and no source is cleaned up until one"
                    + " opens. What has begun to switch is finished."),
    FROZEN(
            "Frozen",
            "A freeze of the ShardPolicy is in force: nothing new starts, nothing is switched and no source is cleaned up until it"
                    + " ends. What has begun to switch is finished."),
    BLOCKED("Blocked", "Help from outside is needed: nextAction says which."),
    NOT_ACCEPTED("NotAccepted", "The spec is not accepted: the condition Accepted says why."),
    HISTORY_LOST(
            "HistoryLost",
            "Somebody has a newer routing table than the stored one, as after a restore of etcd. It is published anew, as a"
                    + " new incarnation, when the fence rows name one owner for every bucket."),
    OPERATOR_FAULT("OperatorFault", "The operator could not do its work; it tries again. The message has the error."),

    // --- BucketMove
    PENDING("Pending", "Waits for its turn; blockedBy says for whom."),
    VALIDATING("Validating", "Both databases are being checked."),
    VALIDATION_FAILED("ValidationFailed", "A check of both databases failed: the message says which and what to do."),
    COPYING("Copying", "The snapshot is being copied."),
    COPIED("Copied", "The snapshot is durable on the target."),
    CATCHING_UP("CatchingUp", "Changes are being applied; the stream is not yet within the gate."),
    CAUGHT_UP("CaughtUp", "The stream is within the gate."),
    VERIFYING("Verifying", "Source and target are being compared."),
    VERIFIED("Verified", "Source and target were equal at a marker."),
    DIVERGED("Diverged", "Both sides differ; before the switch the copy is made again, after it nothing is deleted."),
    AWAITING_GATE(
            "AwaitingGate",
            "A switch would hold writes too long now: lag or predicted hold is above its limit, or unknown."),
    AWAITING_ACKS(
            "AwaitingAcks",
            "Routers have not acknowledged a revision; blockedBy names them. Silence is never consent."),
    AWAITING_SWITCH("AwaitingSwitch", "Another move is switching on one of the two databases."),
    DRAIN_TIMEOUT(
            "DrainTimeout", "Writers in flight did not end in time; blockedBy names the sessions. It is tried again."),
    NOT_SWITCHED("NotSwitched", "The source owns every bucket of the move."),
    SWITCHING("Switching", "Buckets are being switched."),
    PARTLY_SWITCHED("PartlySwitched", "The target owns some buckets of the move."),
    SWITCHED("Switched", "The target owns every bucket of the move."),
    REVERSIBLE(
            "Reversible",
            "What was switched can be switched back without a loss until the soak ends: Reverse does it, Complete ends"
                    + " the soak."),
    WAY_BACK_OPENING(
            "WayBackOpening", "The stream back to the source is being started or resumed; no reversal until it runs."),
    WAY_BACK_LOST(
            "WayBackLost",
            "The stream back to the source is gone for good, so the move cannot be reversed: create a BucketMove in the"
                    + " other direction instead."),
    SOAK_OVER(
            "SoakOver",
            "The soak has ended, by time or by Complete: the source is cleaned up once every router has acknowledged."),
    PAUSED(
            "Paused",
            "No further step begins while intent is Pause; the stream goes on. Run or Reverse ends the pause."),
    REVERSING("Reversing", "What was switched is being switched back."),
    REVERSED("Reversed", "What was switched is back on the source, and nothing is left behind."),
    REVERSAL_ABORTED(
            "ReversalAborted",
            "The reversal was decided against: the target keeps what had not gone back, and there is no second try. Create"
                    + " a BucketMove in the other direction instead."),
    CLEANING_UP("CleaningUp", "Rows and objects that are no longer needed are being removed."),
    FOREIGN_ROWS(
            "ForeignRows",
            "The target has rows of a bucket that no move brought: look at them and remove them. Nothing was touched."),
    SCHEMA_CHANGED("SchemaChanged", "A table changed during the move."),
    POSITION_LOST("PositionLost", "The source no longer has the log that the stream needs; the copy is made again."),
    SUPERSEDED("Superseded", "Another mover of this move took over."),
    TWO_OWNERS(
            "TwoOwners",
            "A failover has lost a commit, and both shards own a bucket; the owner with the lower epoch is being closed."),
    OWNER_DEMOTED(
            "OwnerDemoted",
            "Two shards owned a bucket, and the older owner was closed. It may have rows that the other lacks: compare them,"
                    + " then remove the record. Nothing is merged or deleted until then."),
    SOURCE_READ_ONLY(
            "SourceReadOnly",
            "The source answers and refuses every write, because its disk is full, and the move needs one there. Buckets that are"
                    + " fenced on it are copied to the target once more and activated there."),
    FORCE_RECLAIMED(
            "ForceReclaimed",
            "The source took fenced buckets back by force, because somebody asked for it and the target does not answer. What"
                    + " the target has is looked at when it answers again."),
    ABORTING("Aborting", "The move is being taken back."),
    ABORTED("Aborted", "The move was taken back; the source owns what had not been switched."),
    PARTIALLY_MOVED("PartiallyMoved", "The move ended with some buckets switched; the message lists the others."),
    SUCCEEDED("Succeeded", "Every bucket moved, and nothing is left behind."),
    FAILED("Failed", "The move ended without success; the source owns its buckets and nothing is left over.");

    private final String wire;
    private final String meaning;

    Reason(String wire, String meaning) {
        this.wire = wire;
        this.meaning = meaning;
    }

    /** The word in conditions and events. */
    public String wire() {
        return wire;
    }

    /** One sentence for people; the reference and messages without figures use it. */
    public String meaning() {
        return meaning;
    }
}
