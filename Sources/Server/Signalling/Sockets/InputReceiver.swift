/// Receives what comes in on a connection, one input at a time: the next one comes when the previous one has been handled.
///
/// A protocol and no closure: a closure that is kept in a generic container (`Mutex`) is wrapped anew at each access, and a connection
/// that lives long would become slower with every call.
package protocol InputReceiver: Sendable {
    func receive(_ input: SocketConnection.Input) async
}
