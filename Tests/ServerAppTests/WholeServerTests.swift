import Testing

/// Tests that start whole servers: one after the other, so that they do not wait for each other's processor time.
@Suite(.serialized) struct WholeServerTests {}
