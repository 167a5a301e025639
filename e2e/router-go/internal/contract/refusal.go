package contract

import "encoding/json"

// FenceState is the SQLSTATE of a refusal by a fence.
const FenceState = "SH409"

// States of a refusal that a router treats in a way of their own. For all others it asks for the newest table.
const (
	Moved     = "MOVED"
	Draining  = "DRAINING"
	Importing = "IMPORTING"
)

// Refusal is what a fence says in the DETAIL of its error.
type Refusal struct {
	Bucket *int   `json:"bucket"`
	State  string `json:"state"`
	Owner  string `json:"owner"`
	Epoch  int64  `json:"epoch"`
}

// NamesOwner tells whether the shard that refused says who owns the bucket. One that imports does while a move is switched back.
func (r Refusal) NamesOwner(refusing string) bool {
	return r.Owner != "" && (r.State == Moved || r.State == Importing && r.Owner != refusing)
}

// ParseRefusal reads a DETAIL. A text that is none gives a refusal without a state.
func ParseRefusal(detail string) Refusal {
	var refusal Refusal
	if err := json.Unmarshal([]byte(detail), &refusal); err != nil {
		return Refusal{}
	}
	return refusal
}
