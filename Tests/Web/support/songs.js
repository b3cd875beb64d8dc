export const song = {
  id: 's',
  title: 'Song',
  durationMs: 60_000,
  accompaniment: '/a',
  original: '/o',
  lyrics: '/l',
};
export const play = (more = {}) => ({
  song,
  by: 'alice',
  track: 'accompaniment',
  startAt: 1_000_000,
  positionMs: 0,
  ...more,
});
