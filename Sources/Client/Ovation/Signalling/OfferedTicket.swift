/// A ticket that an application has given while nobody could ask the server about it.
struct OfferedTicket {
    let ticket: String
    /// Called once the next sign-in has shown whether it is good.
    let completions: [(Result<Void, OvationError>) -> Void]
}
