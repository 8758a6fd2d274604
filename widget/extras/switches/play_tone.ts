/** One short, soft tone. Silent where the browser allows no sound yet. */
export function playTone(): void {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.value = 0.08;
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.5);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  setTimeout(() => audio.close(), 500);
}
