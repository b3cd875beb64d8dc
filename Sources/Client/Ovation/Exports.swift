@_exported public import RoomModel
