/* Short sounds made on the spot: a card that is laid, a call, a bell for one's turn. Off unless they are asked for. */

import { preferences } from "./preferences.js";

let context = null;

function start() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
}

function tap({ pitch, length, loud }) {
  const audio = start();
  const noise = audio.createBuffer(1, audio.sampleRate * length, audio.sampleRate);
  const samples = noise.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * (1 - at / samples.length) ** 3;
  const source = new AudioBufferSourceNode(audio, { buffer: noise });
  const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: pitch, Q: 1.2 });
  source.connect(filter).connect(new GainNode(audio, { gain: loud })).connect(audio.destination);
  source.start();
}

function tone(pitch, at, length) {
  const audio = start();
  const gain = new GainNode(audio, { gain: 0 });
  const begin = audio.currentTime + at;
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(0.08, begin + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + length);
  const source = new OscillatorNode(audio, { frequency: pitch });
  source.connect(gain).connect(audio.destination);
  source.start(begin);
  source.stop(begin + length);
}

const SOUNDS = {
  card: () => tap({ pitch: 900, length: 0.07, loud: 0.5 }),
  call: () => tap({ pitch: 2200, length: 0.03, loud: 0.35 }),
  turn: () => [660, 880].forEach((pitch, index) => tone(pitch, 0.09 + index * 0.11, 0.25)),
  claim: () => tone(520, 0, 0.35),
  asked: () => tone(520, 0, 0.35),
  undo: () => tone(520, 0, 0.35),
  over: () => [523, 659, 784].forEach((pitch, index) => tone(pitch, index * 0.12, 0.4)),
};

export function sound(events) {
  if (!preferences.sounds) return;
  for (const kind of new Set(events.map((event) => event.kind))) SOUNDS[kind]?.();
}
