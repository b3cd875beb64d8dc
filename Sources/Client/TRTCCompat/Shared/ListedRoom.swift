internal import RoomModel

/// A room as the server tells it. Its own name is taken in this module by the chorus documents' `RoomInfo`.
typealias ListedRoom = RoomModel.RoomInfo
