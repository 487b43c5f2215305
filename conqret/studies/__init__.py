"""What measures the judge: known damage, people, bias, and the card that sums them up."""
