"""Text from outside is judged as bytes before anything is made of it (decision 0037): where it comes in, and where it becomes the key of
a table, whose hash would otherwise cost the square of a run of combining marks."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["Server", "Rooms", "Shared", "Media"]

# What turns bytes from outside into text or values.
READING = re.compile(
    r"\.collect\(upTo|JSONDecoder\(\)|JSONSerialization\.jsonObject|String\(validating|removingPercentEncoding|String\(decoding")
# file: what was judged before, or why nothing needs to be.
READERS = {
    "Media/DTLS/CertificateFingerprint.swift": "our own hexadecimal digits",
    "Media/RTP/Identifiers.swift": "16 bytes at most, for a log",
    "Rooms/RoomModel/WebAddress.swift": "the scheme, ASCII by the check before",
    "Rooms/RoomService/Moderation/AuditDetail.swift": "our own JSON",
    "Rooms/RoomService/Gifts/GiftDetail.swift": "the store's",
    "Rooms/RoomService/Turn/JournalFormat.swift": "the store's",
    "Server/Gateway/Compatible/ChatHandler.swift": "Request.text",
    "Server/Gateway/Compatible/ChatMessages.swift": "our own JSON",
    "Server/Gateway/Compatible/RoomAPICall.swift": "Request.text, in RoomAPIHandler",
    "Server/Gateway/Doors/GatewayRoutes.swift": "Request.text",
    "Server/Gateway/Doors/PageHandler.swift": "the request's head; our own pages",
    "Server/Gateway/Doors/RequestText.swift": "Request.text itself",
    "Server/Gateway/HTTPMedia/HTTPMediaHandler.swift": "Request.text",
    "Server/Gateway/REST/OperatorTrail.swift": "our own JSON",
    "Server/Gateway/REST/RESTParameters.swift": "Request.text, in RESTHandler; the request's head",
    "Server/Gateway/REST/RecordsResource.swift": "the store's",
    "Server/Gateway/Sessions/CallDispatcher.swift": "StreamSafeText",
    "Server/Gateway/Sessions/OperatorRestrictions.swift": "our own JSON",
    "Server/Gateway/Songs/SongFiles.swift": "StreamSafeText",
    "Server/Gateway/Songs/SongLibrary.swift": "our own files",
    "Server/Gateway/Songs/SongUpload.swift": "StreamSafeText",
    "Server/Playback/Inspection/PictureInspector.swift": "our own helper's",
    "Server/ServerApp/CommandTrail.swift": "our own JSON",
    "Server/ServerApp/Configuration/SettingsReader.swift": "the operator's file",
    "Server/ServerApp/HostResources.swift": "the system's",
    "Server/ServerApp/OwnCertificate.swift": "openssl's",
    "Server/ServerApp/WordList.swift": "the operator's file",
    "Server/StoreSQLite/DirectoryLock.swift": "our own file",
    "Server/StoreSQLite/SQLiteAccounts.swift": "the store's",
    "Server/StoreSQLite/SQLitePersonalData.swift": "the store's",
    "Server/Webhooks/ErasedNews.swift": "the store's",
    "Server/Webhooks/HostAddresses.swift": "the resolver's addresses",
    "Server/Webhooks/MessageReviewer.swift": "StreamSafeText, in WebhookClient",
    "Server/Webhooks/WebhookClient.swift": "StreamSafeText",
    "Shared/HTTPGrammar/FormParser.swift": "StreamSafeText",
    "Shared/HTTPGrammar/HeaderParameters.swift": "a judged head; StreamSafeText where it has escapes of its own",
    "Shared/SignalProtocol/Call.swift": "StreamSafeText, in CallDispatcher",
    "Shared/SignalProtocol/CallOutline.swift": "ASCII, and short",
    "Shared/SignalProtocol/RoomSlug.swift": "the request's head",
    "Shared/SignalProtocol/ServerMessage.swift": "the server's, in a client",
    "Shared/Texts/JSONEscapes.swift": "what a judged text holds, for a reader that hashes nothing",
    "Shared/UserSig/PrivateMapKey.swift": "64 bytes at most, and signed",
    "Shared/UserSig/TicketText.swift": "StreamSafeText",
}

KEYED = re.compile(r"\[String ?: ?|Set<String>|Dictionary<String|SharedBuckets<String>")
# file: where the keys come from.
KEYS = {
    "Media/SDP/OfferAnswerer.swift": "an offer, in a judged frame or body",
    "Media/SDP/SectionPlan.swift": "the same",
    "Rooms/RoomModel/RoomAttributes.swift": "a judged frame or body",
    "Rooms/RoomModel/RoomOverview.swift": "attributes of a room",
    "Rooms/RoomModel/RoomSnapshot.swift": "attributes of a room",
    "Rooms/RoomModel/WireSize.swift": "attributes of a room",
    "Rooms/RoomPorts/MediaControl.swift": "lines of an offer, in a judged frame or body",
    "Rooms/RoomRules/DurableRoomState+Stored.swift": "attributes of a room",
    "Rooms/RoomRules/DurableRoomState.swift": "attributes of a room; our own numbers of sessions",
    "Rooms/RoomRules/Moderation/ChatLinks.swift": "our own words, asked with what a judged frame has",
    "Rooms/RoomRules/PK/PKDraft.swift": "our own numbers of sessions",
    "Rooms/RoomRules/PK/RoomMail.swift": "our own numbers of sessions",
    "Rooms/RoomService/Media/RequestStills.swift": "ids of invitations: printable ASCII",
    "Server/Gateway/Admission/AddressRates.swift": "addresses of a socket or a trusted proxy",
    "Server/Gateway/Admission/OriginRule.swift": "the operator's",
    "Server/Gateway/Compatible/ChatAttributes.swift": "a judged body",
    "Server/Gateway/Compatible/ChatCounters.swift": "a judged body",
    "Server/Gateway/Compatible/ChatHandler.swift": "a judged body",
    "Server/Gateway/Compatible/ChatMessages.swift": "a judged body",
    "Server/Gateway/Compatible/ChatRequest.swift": "a judged body",
    "Server/Gateway/Compatible/RoomAPICall.swift": "a judged body",
    "Server/Gateway/Compatible/TC3Signature.swift": "a judged head",
    "Server/Gateway/Doors/TicketIssuer.swift": "a name, in a judged body",
    "Server/Gateway/HTTPMedia/HTTPMediaSession.swift": "lines of an offer, in a judged body",
    "Server/Gateway/HTTPMedia/HTTPMediaSessions.swift": "our own secrets, asked with a judged path",
    "Server/Gateway/Operation/MetricsText.swift": "our own names",
    "Server/Gateway/Pages/WebRoot.swift": "our own files, asked with a judged path",
    "Server/Gateway/REST/AuditedDetails.swift": "our own names",
    "Server/Gateway/REST/OperatorSignIn.swift": "our own ids, asked with a judged head",
    "Server/Gateway/REST/OperatorTrail.swift": "our own names",
    "Server/Gateway/REST/RESTParameters.swift": "a judged body and head",
    "Server/Gateway/REST/RESTRoute.swift": "our own names",
    "Server/Gateway/REST/RecordsResource.swift": "the store's",
    "Server/Gateway/Sessions/CallDispatcher.swift": "lines of an offer, in a judged frame",
    "Server/Gateway/Sessions/LineTests.swift": "none",
    "Server/Gateway/Sessions/SessionRegistry.swift": "our own secrets, asked with a judged frame",
    "Server/Gateway/Songs/SongHandler.swift": "names of fields that we know",
    "Server/Gateway/Songs/SongUpload.swift": "names of fields, judged",
    "Server/MediaNode/Workers/WorkerCommand.swift": "an offer, in a judged frame or body",
    "Server/ServerApp/CommandTrail.swift": "our own names",
    "Server/ServerApp/Configuration/SettingsReader.swift": "the operator's",
    "Server/ServerApp/ServerSongFiles.swift": "the operator's",
    "Server/StoreSQLite/SQLitePersonalData.swift": "the store's",
    "Server/Webhooks/ErasedNews.swift": "the store's",
    "Server/Webhooks/WebhookEventTypes.swift": "our own names",
    "Shared/HTTPGrammar/AcceptedCodings.swift": "a judged head",
    "Shared/SignalProtocol/Call.swift": "lines of an offer, in a judged frame",
    "Shared/SignalProtocol/HeardEvent.swift": "the server's, in a client",
    "Shared/SignalProtocol/Method.swift": "lines of an offer, in a judged frame",
}


def places(pattern):
    found = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / "Sources" / folder).rglob("*.swift")):
            if any(pattern.search(re.sub(r"//.*", "", line)) for line in path.read_text().splitlines()):
                found.add(str(path.relative_to(ROOT / "Sources")))
    return found


def test_all_text_from_outside_is_judged_before_it_is_read():
    assert places(READING) == set(READERS), "say in READERS what judges these bytes (decision 0037)"


def test_all_tables_keyed_by_text_say_where_their_keys_come_from():
    assert places(KEYED) == set(KEYS), "say in KEYS where the keys come from (decision 0037)"
