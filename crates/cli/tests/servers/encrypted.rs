//! Over TLS: a server is believed when somebody the machine trusts vouches for it, and only then.

use std::fs;
use std::sync::Arc;

use provost_contract::provider::Provider;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::project::Garden;
use super::server::{Reply, Server};
use super::speech::{LAST_WORD, calls, last_word};

/// Somebody who vouches for servers.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut about = CertificateParams::new(Vec::new()).unwrap();
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(about, KeyPair::generate().unwrap()).unwrap())
    }

    /// A door behind which a server stands that this authority vouches for.
    fn door(&self) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let about = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = about.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    async fn server(&self, replies: [Reply; 2]) -> Server {
        let door = self.door();
        Server::behind("https", replies, move |stream| {
            let door = door.clone();
            async move { door.accept(stream).await.ok() }
        })
        .await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_asked_only_when_its_certificate_is_trusted() {
    let (trusted, stranger) = (Authority::new(), Authority::new());
    let server = trusted.server([calls(Provider::Anthropic), last_word(Provider::Anthropic)]).await;
    let garden = Garden::asking(Provider::Anthropic, &server);
    for (name, authority) in [("trusted.pem", &trusted), ("stranger.pem", &stranger)] {
        fs::write(garden.world.path(name), authority.0.pem()).unwrap();
    }
    let run = |trusts: &str| {
        let path = garden.world.path(trusts);
        garden.provost(&["run", "-C", "garden"], &[("SSL_CERT_FILE", path.to_str().unwrap())])
    };
    let refused = run("stranger.pem");
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert_eq!(server.asked().len(), 0, "neither the key nor a word was sent");
    assert_eq!(garden.end().0, "failed");
    let answered = run("trusted.pem");
    assert_eq!((answered.code, answered.stdout.trim()), (0, LAST_WORD), "{}", answered.stderr);
    assert_eq!(server.asked().len(), 2);
}
