package providers

// BigList is from how many providers on lists are made off the event loop.
const BigList = bigList
