import Testing

/// One after the other: the server's address and the shared instances belong to the whole process.
@Suite(.serialized) struct FacadeTests {}
