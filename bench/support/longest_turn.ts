/** Watches how long the event loop lets nobody else have a turn; `stop` answers the longest, in ms. */
export function longestTurn(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}
