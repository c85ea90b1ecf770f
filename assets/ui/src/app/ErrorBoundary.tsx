import { RotateCw, TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { LostPart } from '../core/parts';
import { t } from '../i18n';
import { Button, EmptyState } from '../ui';
import { meetNewVersion } from './newVersion';
import css from './Splash.module.css';

interface State {
  failed: Error | null;
}

/** Keeps a fault of one screen from taking the whole page down. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(failed: Error): State {
    return { failed };
  }

  override componentDidCatch(failed: Error): void {
    if (failed instanceof LostPart) meetNewVersion();
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (!failed) return this.props.children;
    const lost = failed instanceof LostPart;
    return (
      <div className={css.fault}>
        <h1 className="sr-only">{t(lost ? 'errors.newVersion' : 'errors.boundary')}</h1>
        <EmptyState
          icon={TriangleAlert}
          title={t(lost ? 'errors.newVersion' : 'errors.boundary')}
          actions={
            <Button variant="primary" icon={RotateCw} onClick={() => location.reload()}>
              {t('errors.reload')}
            </Button>
          }
        >
          {t(lost ? 'errors.newVersionText' : 'errors.boundaryText')}
        </EmptyState>
      </div>
    );
  }
}
