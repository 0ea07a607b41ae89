package component

// Share divides room among needs, in cells: the smallest are met first, so that as many
// as possible are met in full. The sum of the result is at most room.
func Share(room int, needs ...int) []int {
	got := make([]int, len(needs))
	for range needs {
		at := -1
		for i, n := range needs {
			if n > got[i] && got[i] == 0 && (at < 0 || n < needs[at]) {
				at = i
			}
		}
		if at < 0 || room <= 0 {
			break
		}
		got[at] = min(needs[at], room)
		room -= got[at]
	}
	return got
}
