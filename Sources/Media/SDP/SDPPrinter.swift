extension SessionDescription {
    /// The description as it goes over the wire.
    package var text: String { "" }
}
