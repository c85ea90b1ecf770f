import './styles/layers.css';
import './styles/vendor.css';
import './styles/tokens.css';
import './styles/base.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { watchTheme } from './core/prefs';
import { showLanguage, watchLanguage } from './i18n/language';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);
watchTheme();
watchLanguage();

const root = document.getElementById('root');
if (root) {
  void showLanguage().then(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
}
