import Foundation

func json(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }
