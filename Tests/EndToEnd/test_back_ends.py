"""Back ends that exist: their own client libraries, pointed at our host."""

import json
import urllib.request

import pytest
from tencentcloud.common import credential
from tencentcloud.common.exception.tencent_cloud_sdk_exception import TencentCloudSDKException
from tencentcloud.common.profile.client_profile import ClientProfile
from tencentcloud.common.profile.http_profile import HttpProfile
from tencentcloud.trtc.v20190722 import models
from tencentcloud.trtc.v20190722.trtc_client import TrtcClient

from client import Client
from server import Server
from story import story
from test_command_line import run, wait_for
from test_tickets import own_application


class BackEnd:
    """The published client library of the room API, with a key of ours."""

    def __init__(self, server, app, secret_id, secret_key):
        self.app = app
        profile = ClientProfile(httpProfile=HttpProfile(protocol="http", endpoint=f"localhost:{server.port}"))
        self.client = TrtcClient(credential.Credential(secret_id, secret_key), "ap-singapore", profile)

    def call(self, action, **fields):
        """The name of the refusal, or nothing."""
        request = getattr(models, f"{action}Request")()
        request.from_json_string(json.dumps({"SdkAppId": self.app, **fields}))
        try:
            answer = getattr(self.client, action)(request)
        except TencentCloudSDKException as refused:
            assert refused.get_request_id(), "a refusal has the number of its request"
            return refused.get_code()
        assert answer.RequestId
        return None


def made(*arguments):
    code, out, complaint = run("key", "create", *arguments)
    assert code == 0, complaint
    return dict(line.split() for line in out.splitlines())


@pytest.fixture
def house(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    keys = {
        "host": made("--app", app, "--name", "shop", "--scope", "rooms:write", "--scope", "moderation", *data),
        "reader": made("--name", "reader", "--scope", "rooms:read", *data),
    }
    with Server(tmp_path / "data", development=False) as server:

        def person(name):
            ticket = run("usersig", "make", "--app", app, "--user", name, key=key)[1].strip()
            return Client(server, {"app": int(app), "user": name, "ticket": ticket, "name": name})

        def back_end(name, app=int(app), **other):
            return BackEnd(server, app, keys[name]["id"], other.get("secret", keys[name]["secret"]))

        yield server, person, back_end


@story("L15-R the published client library removes people from rooms and dismisses rooms, by number and by text, and they hear why")
def test_dismiss(house):
    server, person, back_end = house
    shop = back_end("host")
    host, guest = person("host"), person("guest")
    for room, suffix in ((48213, ""), ("48213", "ByStrRoomId")):
        host.call("room.create", name="Salon", room=room)
        guest.call("room.enter", room=room)
        assert shop.call(f"RemoveUser{suffix}", RoomId=room, UserIds=["guest", "nobody"]) is None
        removed = guest.notes.get(timeout=20)
        assert removed["method"] == "room.removed" and removed["params"]["room"] == room
        guest.call("room.enter", room=room)
        assert shop.call(f"RemoveUser{suffix}", RoomId=room, UserIds=["host"]) == "FailedOperation.NotAllowed"
        assert shop.call(f"DismissRoom{suffix}", RoomId=room) is None
        for people in (host, guest):
            wait_for("the room's end", lambda people=people, room=room: any(
                event["type"] == "room.destroyed" and event["reason"] == "operator" and event["room"] == room for event in people.events))
        assert shop.call(f"DismissRoom{suffix}", RoomId=room) == "FailedOperation.RoomNotExist"


@story("L15-R whoever signs wrongly, or asks for what their key does not reach to, is told by the documented code")
def test_refusals(house):
    server, person, back_end = house
    host = person("host")
    host.call("room.create", name="Salon", room=48213)
    shop = back_end("host")
    assert back_end("host", secret="0" * 64).call("DismissRoom", RoomId=48213) == "AuthFailure.SignatureFailure"
    stranger = BackEnd(server, shop.app, "0" * 12, "0" * 64)
    assert stranger.call("DismissRoom", RoomId=48213) == "AuthFailure.SecretIdNotFound"
    assert back_end("reader").call("DismissRoom", RoomId=48213) == "UnauthorizedOperation"
    assert back_end("host", app=5).call("DismissRoom", RoomId=48213) == "UnauthorizedOperation.SdkAppId"
    assert back_end("reader", app=5).call("DismissRoom", RoomId=48213) == "FailedOperation.SdkAppIdNotExist"
    assert shop.call("DismissRoom") == "MissingParameter.RoomId"
    assert shop.call("DismissRoom", RoomId=-1) == "InvalidParameter.RoomId"
    assert shop.call("RemoveUser", RoomId=48213) == "MissingParameter.UserIds"
    assert shop.call("RemoveUser", RoomId=48213, UserIds=[str(n) for n in range(11)]) == "InvalidParameter.UserIds"
    assert shop.call("RemoveUser", RoomId=48213, UserIds=["no one"]) == "InvalidParameter.UserIds"
    assert shop.call("DescribeRoomInfo") == "InvalidAction"

    def bare(headers, body=b"{}"):
        request = urllib.request.Request(server.url + "/", body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["Response"]["Error"]["Code"]

    action = {"X-TC-Action": "DismissRoom", "X-TC-Version": "2019-07-22", "Content-Type": "application/json"}
    assert bare({}) == "MissingParameter"
    assert bare({**action, "X-TC-Version": "2017-03-12"}) == "NoSuchVersion"
    for other in ("text/plain", "application/jsonl", "application/json-patch+json", "application/json, text/plain"):
        assert bare({**action, "Content-Type": other}) == "InvalidParameter", other
    assert bare({**action, "Content-Type": "Application/JSON ; charset=UTF-8"}) == "AuthFailure.InvalidAuthorization"
    assert bare(action) == "AuthFailure.InvalidAuthorization"
    signed = f"TC3-HMAC-SHA256 Credential={'0' * 12}/2019-02-25/trtc/tc3_request, SignedHeaders=content-type;host, Signature={'0' * 64}"
    assert bare({**action, "Authorization": signed, "X-TC-Timestamp": "1551113065"}) == "AuthFailure.SignatureExpire"
    assert bare(action, b"x" * 70_000) == "RequestSizeLimitExceeded"
    host.call("message.send", room=48213, text="still here")
