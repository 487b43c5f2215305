"""Models that a provider hosts, or a server of one's own: called directly where it speaks as OpenAI does, else through
litellm."""
