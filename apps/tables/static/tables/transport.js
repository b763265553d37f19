/* The line to the table: commands go by POST, views come by a socket, or by asking where sockets do not pass.

   A command keeps its id until its outcome is known, so sending it again is harmless. Every view is whole: one that is
   not newer than what is shown is dropped, any other is shown. */

const ANSWER_WITHIN = 5000; // a request that takes longer is sent again
const SILENT_FOR = 12000; // a socket without a heart-beat for so long is dead
const ASK_EVERY = 1500;
const WAITS = [500, 1200, 2500, 5000, 10000];
const LONG_WAIT = 25; // seconds, where sockets are blocked and a question may wait for its answer
const GAVE_WAY = 4409; // a newer window of the same player has a socket in place of this one's

const backOff = (tries) => WAITS[Math.min(tries, WAITS.length - 1)] * (0.8 + 0.4 * Math.random());

function withQuery(address, query) {
  const url = new URL(address, location.href);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/* Where a question may wait: at the process of the sockets, when it is of the page's origin. */
function addressForWaiting(live) {
  const url = live && new URL(live.replace(/^ws/, "http"), location.href);
  if (url?.origin !== location.origin) return null;
  url.pathname += "/view";
  return url.href;
}

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export class Line {
  /* `hears`: {view(view), now(text), on(), off(), gone(why)} */
  constructor({ act, view, live, token, version }, hears) {
    Object.assign(this, { addresses: { act, view, live, waiting: addressForWaiting(live) }, token, version, hears });
    this.isOn = true;
    this.socketIsOpen = false;
    this.gaveWay = false;
    this.restartsIn = 0;
    this.ended = false;
    this.sleepers = new Set();
    addEventListener("offline", () => this.cut());
    addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => document.hidden || this.comeBack());
    this.listen();
  }

  /* ---- commands ---- */

  /* The outcome: {ok: true, v} or {ok: false, why, say}; it waits as long as the line is down. */
  async send(act) {
    const body = JSON.stringify({ command: newId(), expect: this.version, do: act });
    for (let tries = 0; !this.ended; tries += 1) {
      const answer = await this.ask(this.addresses.act, { method: "POST", body, headers: this.headers() });
      if (answer && answer.status < 500 && answer.status !== 429) return this.outcome(answer);
      if (answer?.status !== 429) this.miss();
      await this.sleep(backOff(tries + 1));
    }
    return { ok: false, why: "gone" };
  }

  headers() {
    return { "Content-Type": "application/json", "X-CSRFToken": this.token };
  }

  async outcome(answer) {
    const said = await answer.json().catch(() => ({}));
    if (answer.status === 401 || answer.status === 404) this.end(answer.status);
    if (!answer.ok || !this.socketIsOpen) await this.sync();
    else setTimeout(() => this.version < said.v && this.sync(), 1000); // the socket should have brought it
    return { ok: answer.ok, why: said.why ?? String(answer.status), say: said.say, v: said.v };
  }

  /* ---- views ---- */

  async listen() {
    for (let tries = 0; !this.ended; tries += 1) {
      if (this.mayHaveSocket() && (await this.socket())) tries = 0;
      const until = performance.now() + Math.max(this.restartsIn, backOff(tries));
      this.restartsIn = 0;
      do {
        if (tries > 2 && !this.gaveWay && (await this.wait())) continue;
        await this.sync();
        const left = this.mayHaveSocket() ? until - performance.now() : ASK_EVERY;
        if (!this.ended) await this.sleep(Math.max(0, Math.min(ASK_EVERY, left)));
      } while (!this.ended && (performance.now() < until || !this.mayHaveSocket()));
    }
  }

  /* Windows do not take the socket from one another in turn: one that gave way asks, until it is looked at again. */
  mayHaveSocket() {
    return Boolean(this.addresses.live) && !this.gaveWay;
  }

  comeBack() {
    if (this.gaveWay) {
      this.gaveWay = false;
      this.wake();
    }
    this.sync();
  }

  /* Resolves when the socket is closed, to whether it ever was open. */
  socket() {
    return new Promise((resolve) => {
      const socket = new WebSocket(withQuery(this.addresses.live, { since: this.version }));
      let opened = false;
      let heard = performance.now();
      const pulse = setInterval(() => performance.now() - heard > SILENT_FOR && close(), 2000);
      const close = (event) => {
        this.socketIsOpen = false;
        clearInterval(pulse);
        socket.onopen = socket.onmessage = socket.onclose = null;
        if (socket.readyState < WebSocket.CLOSING) socket.close();
        this.gaveWay ||= event?.code === GAVE_WAY;
        this.dropSocket = null;
        resolve(opened && !(event?.code >= 4400)); // why it was refused, the next question to the pages' server tells
      };
      this.dropSocket = close;
      socket.onopen = () => {
        opened = this.socketIsOpen = true;
        this.reach();
      };
      socket.onmessage = ({ data }) => {
        heard = performance.now();
        this.reach();
        const frame = JSON.parse(data);
        this.take(frame);
        if (frame.v === undefined) socket.send(JSON.stringify({ sync: this.version })); // a heart-beat, answered
      };
      socket.onclose = close;
    });
  }

  take(frame) {
    if (frame.bye !== undefined) this.restartsIn = 1000 * frame.bye;
    else if (frame.v === undefined) this.hears.now(frame.now);
    else if (frame.v > this.version) {
      this.version = frame.v;
      this.hears.view(frame);
    }
  }

  async sync() {
    const answer = await this.ask(withQuery(this.addresses.view, { since: this.version }));
    if (!answer || answer.status >= 500) return this.miss();
    if (answer.status === 401 || answer.status === 404) return this.end(answer.status);
    this.reach();
    if (answer.status === 200) this.take(await answer.json());
  }

  /* Ask where the answer comes as soon as there is one; whether that can be done here. */
  async wait() {
    if (!this.addresses.waiting) return false;
    const address = withQuery(this.addresses.waiting, { since: this.version, wait: LONG_WAIT });
    const answer = await this.ask(address, {}, LONG_WAIT);
    if (answer?.status !== 200 && answer?.status !== 204) this.addresses.waiting = null; // why, the next question tells
    else this.reach();
    if (answer?.status === 200) this.take(await answer.json());
    return Boolean(this.addresses.waiting);
  }

  /* ---- the wire ---- */

  async ask(address, options = {}, wait = 0) {
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN + 1000 * wait);
      return await fetch(address, { ...options, signal, redirect: "error", cache: "no-store" });
    } catch {
      return null;
    }
  }

  sleep(milliseconds) {
    return new Promise((resolve) => {
      const rise = () => {
        clearTimeout(timer);
        this.sleepers.delete(rise);
        resolve();
      };
      const timer = setTimeout(rise, milliseconds);
      this.sleepers.add(rise);
    });
  }

  wake() {
    for (const rise of [...this.sleepers]) rise();
  }

  cut() {
    this.miss();
    this.dropSocket?.();
  }

  reach() {
    if (this.isOn) return;
    this.isOn = true;
    this.hears.on();
    this.wake(); // a command that waits goes at once
  }

  miss() {
    if (!this.isOn || this.ended) return;
    this.isOn = false;
    this.hears.off();
  }

  end(status) {
    if (this.ended) return;
    this.ended = true;
    this.dropSocket?.();
    this.hears.gone(status);
  }
}
