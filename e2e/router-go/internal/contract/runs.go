package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// expandRuns reads "a*2,b*1" as [a a b]. The counts must add up to total exactly.
func expandRuns(runs string, total int) ([]string, error) {
	values := make([]string, 0, total)
	for run := range strings.SplitSeq(runs, ",") {
		star := strings.LastIndexByte(run, '*')
		if star <= 0 {
			return nil, fmt.Errorf("run %q is not value*count", run)
		}
		count, err := strconv.Atoi(run[star+1:])
		if err != nil || count < 1 {
			return nil, fmt.Errorf("run %q has no positive count", run)
		}
		if count > total-len(values) {
			return nil, fmt.Errorf("runs cover more than %d buckets", total)
		}
		for range count {
			values = append(values, run[:star])
		}
	}
	if len(values) != total {
		return nil, fmt.Errorf("runs cover %d of %d buckets", len(values), total)
	}
	return values, nil
}

func expandNumbers(runs string, total int) ([]int64, error) {
	texts, err := expandRuns(runs, total)
	if err != nil {
		return nil, err
	}
	numbers := make([]int64, total)
	for i, text := range texts {
		if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}
