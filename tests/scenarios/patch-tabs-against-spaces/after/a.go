func f() {
	if x {
		return 2
	}
}
