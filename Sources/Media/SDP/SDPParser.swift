extension SessionDescription {
    /// Reads a session description. Lines and attributes that we do not know are skipped.
    package init(parsing text: String) throws(SDPError) {
        throw SDPError(.malformed, "")
    }
}
