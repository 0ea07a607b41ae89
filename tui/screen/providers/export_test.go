package providers

// BigList is from how many providers on lists are made off the event loop.
const BigList = bigList

// MostConsumers is how many consumers the page of a provider lists.
const MostConsumers = mostConsumers
