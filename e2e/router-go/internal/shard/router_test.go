package shard

import (
	"testing"

	"shardwright.io/router-go/internal/contract"
)

var route = contract.Route{Key: "1", Bucket: 60, Shard: "ds-1", Epoch: 3}

func TestMovedIsAHintForTheNextAttempt(t *testing.T) {
	got := after(contract.Refusal{State: contract.Moved, Owner: "ds-4", Epoch: 4}, route, 0)
	if got != (plan{shard: "ds-4", epoch: 4}) {
		t.Errorf("%+v", got)
	}
}

func TestAShardThatABucketComesBackToLeadsToTheOwnerUntilThen(t *testing.T) {
	got := after(contract.Refusal{State: contract.Importing, Owner: "ds-4", Epoch: 4}, route, 0)
	if got != (plan{shard: "ds-4", epoch: 4}) {
		t.Errorf("%+v", got)
	}
}

func TestALowerEpochIsIgnored(t *testing.T) {
	got := after(contract.Refusal{State: contract.Moved, Owner: "ds-4", Epoch: 2}, route, 0)
	if got.shard != "" || got.wait == 0 {
		t.Errorf("%+v", got)
	}
}

func TestDrainingWaitsAtTheSameShard(t *testing.T) {
	bucket := 61
	got := after(contract.Refusal{State: contract.Draining, Bucket: &bucket, Owner: "ds-1"}, route, 0)
	if got != (plan{shard: "ds-1", epoch: 3, waitFor: &bucket}) {
		t.Errorf("%+v", got)
	}
}

func TestOtherStatesBackOff(t *testing.T) {
	for state, owner := range map[string]string{"IMPORTING": route.Shard, "ABORTED": "ds-4", "ABSENT": "ds-4", "": "ds-4"} {
		for hop := range maxHops {
			got := after(contract.Refusal{State: state, Owner: owner, Epoch: 9}, route, hop)
			if got.shard != "" || got.wait < backoff<<hop/2 || got.wait >= backoff<<hop*3/2 {
				t.Errorf("%s: %+v", state, got)
			}
		}
	}
}
