"""Certificates for tests: one authority, and servers' certificates that are right, expired, or of another host."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_HERE = x509.IPAddress(ip_address("127.0.0.1"))
_DAY = timedelta(days=1)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """Signs certificates. `file` is what a client has to trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(_name("Test authority"))
            .issuer_name(_name("Test authority"))
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 9 * _DAY)
            .not_valid_after(now + 9 * _DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self._certificate = made
        self.file = folder / "authority.pem"
        self.file.write_bytes(made.public_bytes(serialization.Encoding.PEM))

    def server(
        self, name: str, *, host: x509.GeneralName = _HERE, days: int = 5, signed: bool = True
    ) -> ssl.SSLContext:
        """A server's side of TLS; the certificate runs out in so many days, and signs itself where not `signed`."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        issuer = self._certificate.subject if signed else _name(name)
        made = (
            x509.CertificateBuilder()
            .subject_name(_name(name))
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 8 * _DAY)
            .not_valid_after(now + days * _DAY)
            .add_extension(x509.SubjectAlternativeName([host]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(
                    (self._key if signed else key).public_key()
                ),
                critical=False,
            )
            .sign(self._key if signed else key, hashes.SHA256())
        )
        place = self._folder / f"{name}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        place.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place)
        return context


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
