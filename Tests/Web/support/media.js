// Stand-ins for the browser's media objects, as far as the SDK and the models touch them.

export class FakeTrack {
  static count = 0;
  enabled = true;
  readyState = 'live';
  onended = null;
  onmute = null;
  onunmute = null;
  clones = [];

  constructor(label = '') {
    this.id = `track-${FakeTrack.count++}`;
    this.label = label;
  }

  clone() {
    const copy = new FakeTrack(this.label);
    copy.enabled = this.enabled;
    this.clones.push(copy);
    return copy;
  }

  stop() {
    this.readyState = 'ended';
  }

  /** The device is pulled out. */
  unplug() {
    this.readyState = 'ended';
    this.onended?.({});
  }
}

/** RTCPeerConnection that offers what it was built of and connects when told. */
export class FakePeerConnection {
  connectionState = 'new';
  signalingState = 'stable';
  localDescription = null;
  onconnectionstatechange = null;
  transceivers = [];
  offers = 0;
  restarts = 0;
  refusesEdits = false;
  report = new Map();

  constructor(configuration) {
    this.configuration = configuration;
  }

  addTransceiver(kindOrTrack, { direction, sendEncodings = [] }) {
    const track = typeof kindOrTrack === 'string' ? null : kindOrTrack;
    const line = {
      kind: track ? 'video' : kindOrTrack,
      direction,
      sendEncodings,
      mid: null,
      sender: {
        track,
        replaceTrack: async track => void Object.assign(line.sender, { track }),
        getParameters: () => ({ encodings: sendEncodings.map(encoding => ({ ...encoding })) }),
        setParameters: async ({ encodings }) => void sendEncodings.splice(0, Infinity, ...encodings),
      },
      receiver: { track: new FakeTrack('remote') },
      setCodecPreferences() {},
    };
    this.transceivers.push(line);
    return line;
  }

  #offered = 0;

  getTransceivers() {
    return this.transceivers;
  }

  async createOffer({ iceRestart = false } = {}) {
    this.offers++;
    if (iceRestart) this.restarts++;
    this.#offered = this.transceivers.length;
    const sections = this.transceivers.map(
      (line, index) =>
        `m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:${index}\r\na=${line.direction}\r\na=rtpmap:111 opus/48000/2\r\n`,
    );
    return { type: 'offer', sdp: `v=0\r\na=ice-ufrag:${this.restarts}\r\n${sections.join('')}` };
  }

  async setLocalDescription({ sdp }) {
    if (this.refusesEdits && sdp.includes('nack')) throw new Error('InvalidModificationError');
    this.localDescription = { type: 'offer', sdp };
    this.signalingState = 'have-local-offer';
    // Lines that were added after the offer was made are not in it.
    this.transceivers.slice(0, this.#offered).forEach((line, index) => {
      line.mid = String(index);
    });
  }

  async setRemoteDescription() {
    this.signalingState = 'stable';
  }

  getConfiguration() {
    return this.configuration;
  }

  setConfiguration(configuration) {
    this.configuration = configuration;
  }

  async getStats() {
    return this.report;
  }

  /** The path gets this state. */
  become(state) {
    this.connectionState = state;
    this.onconnectionstatechange?.();
  }

  close() {
    this.connectionState = 'closed';
  }
}

/** `navigator.mediaDevices` with as many microphones as given. */
export class FakeMediaDevices extends EventTarget {
  constructor(devices = [{ kind: 'audioinput', deviceId: 'built-in', label: 'Built-in' }]) {
    super();
    this.devices = devices;
    this.asked = [];
    this.tracks = [];
    /** @type {string | null} a DOMException name to refuse with */ this.refusal = null;
  }

  async enumerateDevices() {
    return this.devices;
  }

  async getUserMedia(constraints) {
    this.asked.push(constraints);
    const kind = constraints.video ? 'video' : 'audio';
    const wanted = constraints[kind].deviceId?.exact;
    if (this.refusal) throw named(this.refusal);
    const found = this.devices.find(
      device => device.kind === `${kind}input` && (!wanted || device.deviceId === wanted),
    );
    if (!found) throw named(wanted ? 'OverconstrainedError' : 'NotFoundError');
    const track = new FakeTrack(found.label);
    this.tracks.push(track);
    const of = (/** @type {string} */ wished) => (wished === kind ? [track] : []);
    return { getAudioTracks: () => of('audio'), getVideoTracks: () => of('video'), getTracks: () => [track] };
  }

  async getDisplayMedia() {
    if (this.refusal) throw named(this.refusal);
    const track = new FakeTrack('screen');
    this.tracks.push(track);
    return { getVideoTracks: () => [track] };
  }
}

function named(name) {
  return Object.assign(new Error(name), { name });
}

/** What the salon's `Playout` is for a test: remembers what it was told. */
export class FakePlayout {
  tracks = [];
  listening = [];
  silencers = new Set();
  output = '';
  closed = false;

  constructor(blocked) {
    this.blocked = blocked;
  }

  begin() {
    this.begun = true;
  }

  setTracks(tracks) {
    this.tracks = tracks;
  }

  setListening(seat, listening) {
    this.listening[seat] = listening;
  }

  setVolume(volume) {
    this.volume = volume;
  }

  setSilenced(reason, silent) {
    if (silent) this.silencers.add(reason);
    else this.silencers.delete(reason);
  }

  async setOutput(id) {
    this.output = id;
  }

  async unlock() {
    this.blocked.set(false);
  }

  close() {
    this.closed = true;
  }
}

/** Storage in memory. */
export class FakeStorage {
  #map = new Map();

  getItem(key) {
    return this.#map.get(key) ?? null;
  }

  setItem(key, value) {
    this.#map.set(key, String(value));
  }

  removeItem(key) {
    this.#map.delete(key);
  }
}
