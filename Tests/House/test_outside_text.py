"""Text from outside is judged as bytes before anything is made of it (decision 0037): where it comes in, and where it becomes the key of
a table, whose hash would otherwise cost the square of a run of combining marks."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["Server", "Rooms", "Model", "Protocol", "Media"]

# What turns bytes from outside into text or values.
READING = re.compile(
    r"\.collect\(upTo|JSONDecoder\(\)|JSONSerialization\.jsonObject|String\(validating|removingPercentEncoding|String\(decoding")
# file: what was judged before, or why nothing needs to be.
READERS = {
    "Media/DTLS/CertificateFingerprint.swift": "our own hexadecimal digits",
    "Media/RTP/Identifiers.swift": "16 bytes at most, for a log",
    "Model/RoomModel/WebAddress.swift": "the scheme, ASCII by the check before",
    "Protocol/HTTPGrammar/FormParser.swift": "StreamSafeText",
    "Protocol/HTTPGrammar/HeaderParameters.swift": "a judged head; StreamSafeText where it has escapes of its own",
    "Protocol/SignalProtocol/Call.swift": "StreamSafeText, in CallDispatcher",
    "Protocol/SignalProtocol/CallOutline.swift": "ASCII, and short",
    "Protocol/SignalProtocol/RoomSlug.swift": "the request's head",
    "Protocol/SignalProtocol/ServerMessage.swift": "the server's, in a client",
    "Protocol/Texts/JSONEscapes.swift": "what a judged text holds, for a reader that hashes nothing",
    "Protocol/UserSig/PrivateMapKey.swift": "64 bytes at most, and signed",
    "Protocol/UserSig/TicketText.swift": "StreamSafeText",
    "Rooms/RoomService/AuditDetail.swift": "our own JSON",
    "Rooms/RoomService/GiftDetail.swift": "the store's",
    "Rooms/RoomService/JournalFormat.swift": "the store's",
    "Server/HTTP/Requests/RequestText.swift": "Request.text itself",
    "Server/OperatorAPI/Compatible/ChatHandler.swift": "Request.text",
    "Server/OperatorAPI/Compatible/ChatMessages.swift": "our own JSON",
    "Server/OperatorAPI/Compatible/RoomAPICall.swift": "Request.text, in RoomAPIHandler",
    "Server/OperatorAPI/OperatorRestrictions.swift": "our own JSON",
    "Server/OperatorAPI/REST/OperatorTrail.swift": "our own JSON",
    "Server/OperatorAPI/REST/RESTParameters.swift": "Request.text, in RESTHandler; the request's head",
    "Server/OperatorAPI/REST/RecordsResource.swift": "the store's",
    "Server/PagesAndSongs/Pages/PageHandler.swift": "the request's head; our own pages",
    "Server/PagesAndSongs/Pages/WebRoot.swift": "our own files",
    "Server/PagesAndSongs/Songs/SongFiles.swift": "StreamSafeText",
    "Server/PagesAndSongs/Songs/SongLibrary.swift": "our own files",
    "Server/PagesAndSongs/Songs/SongUpload.swift": "StreamSafeText",
    "Server/PagesAndSongs/Tickets/TicketHandler.swift": "Request.text",
    "Server/Playback/Inspection/PictureInspector.swift": "our own helper's",
    "Server/ServerApp/CommandTrail.swift": "our own JSON",
    "Server/ServerApp/Configuration/SettingsReader.swift": "the operator's file",
    "Server/ServerApp/HostResources.swift": "the system's",
    "Server/ServerApp/OwnCertificate.swift": "openssl's",
    "Server/ServerApp/WordList.swift": "the operator's file",
    "Server/Signalling/Sessions/CallDispatcher.swift": "StreamSafeText",
    "Server/StoreSQLite/DirectoryLock.swift": "our own file",
    "Server/StoreSQLite/SQLiteAccounts.swift": "the store's",
    "Server/StoreSQLite/SQLiteGifts.swift": "the store's",
    "Server/StoreSQLite/SQLitePersonalData.swift": "the store's",
    "Server/WHIP/HTTPMediaHandler.swift": "Request.text",
    "Server/Webhooks/ErasedNews.swift": "the store's",
    "Server/Webhooks/HostAddresses.swift": "the resolver's addresses",
    "Server/Webhooks/MessageReviewer.swift": "StreamSafeText, in WebhookClient",
    "Server/Webhooks/WebhookClient.swift": "StreamSafeText",
}

KEYED = re.compile(r"\[String ?: ?|Set<String>|Dictionary<String|SharedBuckets<String>")
# file: where the keys come from.
KEYS = {
    "Media/SDP/OfferAnswerer.swift": "an offer, in a judged frame or body",
    "Media/SDP/SectionPlan.swift": "the same",
    "Model/RoomModel/Gifts.swift": "the catalogue's",
    "Model/RoomModel/RoomAttributes.swift": "a judged frame or body",
    "Model/RoomModel/RoomOverview.swift": "attributes of a room",
    "Model/RoomModel/RoomSnapshot.swift": "attributes of a room",
    "Model/RoomModel/WireSize.swift": "attributes of a room; languages, checked",
    "Protocol/Digests/TC3Signature.swift": "a judged head",
    "Protocol/HTTPGrammar/AcceptedCodings.swift": "a judged head",
    "Protocol/SignalProtocol/Call.swift": "lines of an offer, in a judged frame",
    "Protocol/SignalProtocol/HeardEvent.swift": "the server's, in a client",
    "Protocol/SignalProtocol/Method.swift": "lines of an offer, in a judged frame",
    "Rooms/RoomPorts/MediaControl.swift": "lines of an offer, in a judged frame or body",
    "Rooms/RoomRules/DurableRoomState+Stored.swift": "attributes of a room",
    "Rooms/RoomRules/DurableRoomState.swift": "attributes of a room; our own numbers of sessions",
    "Rooms/RoomRules/Moderation/ChatLinks.swift": "our own words, asked with what a judged frame has",
    "Rooms/RoomRules/PK/PKDraft.swift": "our own numbers of sessions",
    "Rooms/RoomRules/PK/RoomMail.swift": "our own numbers of sessions",
    "Rooms/RoomService/RequestStills.swift": "ids of invitations: printable ASCII",
    "Server/HTTP/Admission/AddressRates.swift": "addresses of a socket or a trusted proxy",
    "Server/HTTP/Admission/OriginRule.swift": "the operator's",
    "Server/HTTP/Requests/GatewayRouter.swift": "our own paths",
    "Server/PagesAndSongs/Pages/AnnouncedModules.swift": "our own files, asked with our own names",
    "Server/MediaNode/Workers/WorkerCommand.swift": "an offer, in a judged frame or body",
    "Server/OperatorAPI/Compatible/ChatAttributes.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatCounters.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatHandler.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatMessages.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatRequest.swift": "a judged body",
    "Server/OperatorAPI/Compatible/RoomAPICall.swift": "a judged body",
    "Server/OperatorAPI/Operation/MetricsText.swift": "our own names",
    "Server/OperatorAPI/REST/AuditedDetails.swift": "our own names",
    "Server/OperatorAPI/REST/OperatorSignIn.swift": "our own ids, asked with a judged head",
    "Server/OperatorAPI/REST/OperatorTrail.swift": "our own names",
    "Server/OperatorAPI/REST/RESTParameters.swift": "a judged body and head",
    "Server/OperatorAPI/REST/RESTRoute.swift": "our own names",
    "Server/OperatorAPI/REST/RecordsResource.swift": "the store's",
    "Server/PagesAndSongs/Pages/WebRoot.swift": "our own files, asked with a judged path",
    "Server/PagesAndSongs/Songs/SongHandler.swift": "names of fields that we know",
    "Server/PagesAndSongs/Songs/SongUpload.swift": "names of fields, judged",
    "Server/PagesAndSongs/Tickets/TicketIssuer.swift": "a name, in a judged body",
    "Server/ServerApp/CommandTrail.swift": "our own names",
    "Server/ServerApp/Configuration/SettingsReader.swift": "the operator's",
    "Server/ServerApp/GiftAdmin.swift": "the operator's",
    "Server/ServerApp/ServerSongFiles.swift": "the operator's",
    "Server/Signalling/Sessions/CallDispatcher.swift": "lines of an offer, in a judged frame",
    "Server/Signalling/Sessions/LineTests.swift": "none",
    "Server/Signalling/Sessions/SessionRegistry.swift": "our own secrets, asked with a judged frame",
    "Server/StoreSQLite/SQLiteGifts.swift": "the store's",
    "Server/StoreSQLite/SQLitePersonalData.swift": "the store's",
    "Server/WHIP/HTTPMediaSession.swift": "lines of an offer, in a judged body",
    "Server/WHIP/HTTPMediaSessions.swift": "our own secrets, asked with a judged path",
    "Server/Webhooks/ErasedNews.swift": "the store's",
    "Server/Webhooks/WebhookEventTypes.swift": "our own names",
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
