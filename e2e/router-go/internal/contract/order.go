package contract

import (
	"cmp"
	"fmt"
)

// Order says which of two tables is newer, whatever channel they came by.
type Order struct {
	Incarnation int64 `json:"incarnation"`
	Revision    int64 `json:"revision"`
	Generation  int64 `json:"generation"`
}

// Newer is whether o comes after other.
func (o Order) Newer(other Order) bool {
	return cmp.Or(
		cmp.Compare(o.Incarnation, other.Incarnation),
		cmp.Compare(o.Revision, other.Revision),
		cmp.Compare(o.Generation, other.Generation)) > 0
}

// EventID is the id under which the stream sends this table.
func (o Order) EventID() string {
	return fmt.Sprintf("%d/%d", o.Incarnation, o.Generation)
}

func (o Order) String() string {
	return fmt.Sprintf("%d/%d/%d", o.Incarnation, o.Revision, o.Generation)
}
