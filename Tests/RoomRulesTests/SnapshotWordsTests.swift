import Foundation
import RoomRules
import Testing

/// What stands in snapshots that people have on their disks: every key that a room may have. A word here is never changed.
@Suite struct SnapshotWordsTests {
    private static let stored = #"""
        {"admins":["adam"],"answers":[{"answer":{"fingerprint":7,"key":"k","result":{"chat":3,"time":5},\#
        "user":"mia","v":2},"time":5}],"attributes":{"theme":"night"},"challenge":{"expiresAt":9,\#
        "host":{"avatar":"","id":"bob","name":"Bob"},"id":"1/1/2","isOurs":true,"room":2},"challengedAt":4,"chat":3,\#
        "consents":[{"since":5,"user":"max"}],"createdAt":1,"createdIn":1,"creation":{"fingerprint":8,"key":"c",\#
        "result":{},"user":"olga","v":2},"gifts":{"coins":10,"supporters":[{"coins":10,"user":{"avatar":"",\#
        "id":"mia","name":"Mia"}}],"upTo":2},"invitations":[{"command":"C","content":"1","createdAt":5,\#
        "expiresAt":9,"from":"max","id":"i","room":1,"state":"waiting","to":"olga"}],"kind":"live","lasts":true,\#
        "leader":"mia","likes":6,"outbox":[{"content":{"type":"ready"},"session":"1/1/2","step":2,"to":2}],\#
        "owner":{"avatar":"","id":"olga","name":"Olga"},"pauses":[{"host":"eve","until":8}],"peak":4,"phase":"open",\#
        "pk":{"links":[{"host":{"avatar":"","id":"bob","name":"Bob"},"id":"1/1/2","isEnding":false,"isOurs":true,\#
        "muted":false,"place":0,"room":2,"since":3}]},"play":{"by":"mia","positionMs":500,\#
        "song":{"accompaniment":"/a.m4a","durationMs":60000,"id":"ballad","title":"Ballad"},"startAt":9,\#
        "track":"accompaniment"},"position":12,"refusals":[{"until":8}],"restrictions":[{"by":"olga","kind":"ban",\#
        "name":"Eve","user":"eve"}],"room":1,"screen":"mia","seats":[{"condition":{"used":{"_0":{"camera":"on",\#
        "micMuted":true,"movedAt":7,"profile":{"avatar":"","id":"mia","name":"Mia"}}}},"muted":true,\#
        "mutedBy":"olga"},{"condition":{"closed":{"by":"olga"}},"muted":false},{"condition":{"empty":{}},\#
        "muted":false}],"seq":11,"sessions":[{"heard":1,"id":"1/1/2","sent":2}],"settings":{"cover":"","name":"S",\#
        "needsRequest":false,"tags":[]},"stage":{"form":"spotlight","large":"mia"}}
        """#

    @Test("every subject of a room stands in a snapshot as it always has") func words() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let state = try JSONDecoder().decode(DurableRoomState.self, from: Data(Self.stored.utf8))
        #expect(String(decoding: try encoder.encode(state), as: UTF8.self) == Self.stored)
    }
}
