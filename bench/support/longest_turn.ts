/** Measures how long the event loop is blocked; `stop` returns the longest time, in milliseconds. */
export function longestTurn(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const check = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(check, 1);
  return {
    stop() {
      check();
      clearInterval(timer);
      return longest;
    },
  };
}
