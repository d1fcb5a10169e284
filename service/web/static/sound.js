// The synthesised sound of a stone on wood: a click of noise and two tones that fade.

/** @type {AudioContext | undefined} */
let context;

/** [hertz, loudness, seconds] of each tone; a stone that is lifted off only clicks.
 * @type {Record<"stone" | "lift", [number, number, number][]>} */
const TONES = { stone: [[1150, 0.16, 0.05], [310, 0.3, 0.11]], lift: [[1700, 0.06, 0.04]] };

/** @param {"stone" | "lift"} kind */
export function sound(kind) {
  context ??= new AudioContext();
  const from = context.currentTime + 0.01;
  for (const [pitch, loud, long] of TONES[kind]) {
    const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
    tone.connect(fading(context, loud, from, long));
    tone.start(from);
    tone.stop(from + long);
  }
  const noise = new AudioBufferSourceNode(context, { buffer: crackle(context) });
  noise.connect(fading(context, 0.12, from, 0.02));
  noise.start(from);
}

/** @type {(context: AudioContext, loud: number, from: number, long: number) => GainNode} */
function fading(context, loud, from, long) {
  const volume = new GainNode(context, { gain: loud });
  volume.gain.setValueAtTime(loud, from);
  volume.gain.exponentialRampToValueAtTime(0.0005, from + long);
  volume.connect(context.destination);
  return volume;
}

/** @param {AudioContext} context */
function crackle(context) {
  const buffer = context.createBuffer(1, context.sampleRate / 50, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at++) samples[at] = Math.random() * 2 - 1;
  return buffer;
}
