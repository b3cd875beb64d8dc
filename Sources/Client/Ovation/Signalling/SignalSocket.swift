package import NIOCore

/// One WebSocket to the server, as a connection sees it: on one event loop, in order.
package protocol SignalSocket: AnyObject {
    /// Whether the network takes more now; `SocketEvent.writable` tells when it does again. False once the socket is closed.
    var isWritable: Bool { get }
    func send(_ text: [UInt8])
    /// Says goodbye and closes; nothing more is heard.
    func close()
}

/// What a socket tells. After `closed` or `failed` nothing follows.
package enum SocketEvent {
    case opened(any SignalSocket)
    case text(ByteBuffer)
    /// Bytes that are no text: a ping, a pong.
    case heard
    case writable
    /// The close code of the other side if it gave one.
    case closed(UInt16?)
    /// It did not open.
    case failed(OvationError)
}

/// Opens a socket on that event loop and reports there.
typealias SocketOpener = (any EventLoop, @escaping (SocketEvent) -> Void) -> Void
