@_exported public import AudioGraph
@_exported public import RoomModel
