package import Foundation
package import RoomModel

/// The parameters of a call that comes in no frame, but by REST.
package struct PlainParameters: Sendable {
    private let object: Data?
    private let apart: [String: ParameterApart]

    /// - Parameters:
    ///   - object: a JSON object of parameters; `nil`: there is none.
    ///   - apart: parameters that stand elsewhere. They go before those of the object.
    package init(object: Data?, apart: [String: ParameterApart]) {
        self.object = object
        self.apart = apart
    }

    package func payload<Payload: CallPayload>(_: Payload.Type) throws(RoomError) -> Payload {
        try read { try $0.payload() }
    }

    /// A command, and for which room it is.
    package func command(
        _ name: RoomCommand.Name
    ) throws(RoomError) -> (room: RoomID, command: RoomCommand, key: IdempotencyKey?) {
        try read { try $0.command(name) }
    }

    private func read<Value>(_ body: (ParameterDecoder) throws -> Value) throws(RoomError) -> Value {
        do {
            guard let object else { return try body(ParameterDecoder(nil, apart)) }
            let decoder = JSONDecoder()
            decoder.userInfo[.readsNewerWords] = false
            return try withoutActuallyEscaping(body) { body in
                try decoder.decode(Bare<Value>.self, from: object, configuration: (apart, body)).value
            }
        } catch let error as RoomError {
            throw error
        } catch let error as DecodingError {
            throw ParameterDecoder.refusal(error, below: 0)
        } catch {
            throw RoomError(.invalidParams)
        }
    }

    private struct Bare<Value>: DecodableWithConfiguration {
        var value: Value

        init(
            from decoder: any Decoder,
            configuration: (apart: [String: ParameterApart], read: (ParameterDecoder) throws -> Value)
        ) throws {
            let object = try decoder.container(keyedBy: ParameterDecoder.Name.self)
            value = try configuration.read(ParameterDecoder(object, configuration.apart))
        }
    }
}
