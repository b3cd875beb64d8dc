import Foundation
import NIOCore
import NIOPosix

/// The way out of a connection, on its event loop. Without TLS, bytes go to the kernel at once: with a thousand listeners, what the
/// pipeline does for each write costs as much as the write. What the kernel does not take goes through the pipeline, and everything after
/// it until that is written, so that nothing overtakes.
final class SocketOutput {
    /// The encoder's place in the pipeline: what is written from here is not encoded again.
    private let context: ChannelHandlerContext
    private let channel: any Channel
    private let descriptor: CInt?
    private let becameFree: () -> Void
    /// Writes that the pipeline has and the kernel has not.
    private var pending = 0
    private var isUnflushed = false

    /// - Parameters:
    ///   - isDirect: whether bytes may go past the pipeline.
    ///   - becameFree: called when the socket takes bytes again after it took none.
    init(_ context: ChannelHandlerContext, isDirect: Bool, becameFree: @escaping () -> Void) {
        self.context = context
        channel = context.channel
        self.becameFree = becameFree
        descriptor =
            isDirect
            ? (try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 })
                ?? nil : nil
    }

    /// Whether more should be written now: what is not would only lie in memory.
    var isFree: Bool { descriptor == nil ? channel.isWritable : pending == 0 }

    /// Writes, if need be later, in the order of the calls. `flush` comes after the last of a row.
    func write(_ bytes: ByteBuffer) {
        guard let descriptor else {
            context.write(NIOAny(bytes), promise: nil)
            isUnflushed = true
            return
        }
        // The loop closes the socket under the channel: from then on its number may be another one's.
        guard channel.isActive else { return }
        guard pending == 0 else { return hand(bytes) }
        let sent = bytes.withUnsafeReadableBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if sent == bytes.readableBytes { return }
        guard sent >= 0 || errno == EAGAIN || errno == EINTR else { return context.close(promise: nil) }
        var rest = bytes
        rest.moveReaderIndex(forwardBy: max(0, sent))
        hand(rest)
    }

    func flush() {
        guard isUnflushed else { return }
        isUnflushed = false
        context.flush()
    }

    private func hand(_ bytes: ByteBuffer) {
        pending += 1
        isUnflushed = true
        let written = context.eventLoop.makePromise(of: Void.self)
        let output = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in output.value.wrote() }
        context.write(NIOAny(bytes), promise: written)
    }

    private func wrote() {
        pending -= 1
        if pending == 0 { becameFree() }
    }
}
