import Digests
import HTTPTypes
import Hummingbird

extension TC3Call {
    init(_ request: Request, body: [UInt8]) {
        let header = { (name: String) in HTTPField.Name(name).flatMap { request.headers[$0] } }
        self.init(
            method: request.method.rawValue, path: request.uri.path, query: request.uri.query ?? "",
            host: request.head.authority, timestamp: header("x-tc-timestamp"), body: body, header: header)
    }
}
