// Runs before the first paint: sets the theme that this browser was told to use.
(function () {
  let wish = 'system';
  try {
    wish = localStorage.getItem('flowkeep.theme') || 'system';
  } catch {
    // Storage may be closed; the system's theme is fine then.
  }
  const dark = wish === 'dark' || (wish !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
