package import Hummingbird
package import NIOCore

/// What our handlers know about a request beside the request itself.
package struct HTTPRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let peer: SocketAddress?
    package let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
        channel = source.channel
    }
}
