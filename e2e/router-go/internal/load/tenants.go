package load

import (
	"fmt"

	"shardwright.io/router-go/internal/contract"
)

// Tenants are the smallest ids, from 1, that give perBucket tenants to each of the first buckets; of these only those in
// the named buckets, if any is named.
func Tenants(table *contract.Table, buckets, perBucket int, only []int) ([]int64, error) {
	if buckets > table.Buckets {
		return nil, fmt.Errorf("%d buckets, the table has %d", buckets, table.Buckets)
	}
	wanted := only
	if len(only) == 0 {
		for bucket := range buckets {
			wanted = append(wanted, bucket)
		}
	}
	missing := make(map[int]int, len(wanted))
	for _, bucket := range wanted {
		if bucket < 0 || bucket >= buckets {
			return nil, fmt.Errorf("bucket %d of %d", bucket, buckets)
		}
		missing[bucket] = perBucket
	}
	var tenants []int64
	for id := int64(1); len(missing) > 0; id++ {
		bucket := table.BucketOf(id)
		if missing[bucket] == 0 {
			continue
		}
		tenants = append(tenants, id)
		if missing[bucket]--; missing[bucket] == 0 {
			delete(missing, bucket)
		}
	}
	return tenants, nil
}
