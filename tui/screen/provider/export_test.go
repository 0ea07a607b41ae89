package provider

// MostConsumers is how many consumers the screen lists.
const MostConsumers = mostConsumers
