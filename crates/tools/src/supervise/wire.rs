//! What the runtime and a supervising process say to each other over their socket.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// The bytes of a length.
const LENGTH: usize = 8;
/// The bytes of a message of the supervising process.
pub(super) const REPORT: usize = 5;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) argv: Vec<OsString>,
    pub(super) folder: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// What a supervising process says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The program runs, under this number.
    Started(i32),
    /// It could not be started, for this reason of the system.
    Failed(i32),
    /// It ended with this status, and nothing of it is left.
    Ended(i32),
}

impl Order {
    /// As it is sent: every word ends with a NUL, which no word can hold.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut word = |word: &OsStr| {
            let has_nul = word.as_bytes().contains(&0);
            bytes.extend(word.as_bytes());
            bytes.push(0);
            if has_nul { Err(io::Error::from(io::ErrorKind::InvalidInput)) } else { Ok(()) }
        };
        word(self.folder.as_os_str())?;
        word(OsStr::new(&self.argv.len().to_string()))?;
        for argument in &self.argv {
            word(argument)?;
        }
        for (name, value) in &self.environment {
            word(name)?;
            word(value)?;
        }
        Ok(bytes)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let words = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let mut words = words.map(|word| OsString::from_vec(word.to_vec()));
        let folder = PathBuf::from(words.next()?);
        let count: usize = words.next()?.to_str()?.parse().ok()?;
        let argv: Vec<OsString> = words.by_ref().take(count).collect();
        let mut environment = Vec::new();
        while let Some(name) = words.next() {
            environment.push((name, words.next()?));
        }
        (argv.len() == count).then_some(Self { argv, folder, environment })
    }
}

impl Report {
    pub(super) fn encode(self) -> [u8; REPORT] {
        let (tag, [a, b, c, d]) = match self {
            Self::Started(pid) => (b'S', pid.to_le_bytes()),
            Self::Failed(errno) => (b'F', errno.to_le_bytes()),
            Self::Ended(status) => (b'E', status.to_le_bytes()),
        };
        [tag, a, b, c, d]
    }

    pub(super) fn decode([tag, a, b, c, d]: [u8; REPORT]) -> Option<Self> {
        let number = i32::from_le_bytes([a, b, c, d]);
        match tag {
            b'S' => Some(Self::Started(number)),
            b'F' => Some(Self::Failed(number)),
            b'E' => Some(Self::Ended(number)),
            _ => None,
        }
    }
}

/// Sends the length of an order, and with it the three standard streams of the program.
pub(super) fn send_streams(
    control: impl AsFd,
    length: usize,
    streams: &[BorrowedFd<'_>; 3],
) -> io::Result<()> {
    let length = u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(streams));
    let sent = sendmsg(control, &[IoSlice::new(&length)], &mut ancillary, SendFlags::NOSIGNAL)?;
    if sent == LENGTH { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Receives an order and its streams; none when the other side is gone.
pub(super) fn receive(control: &mut (impl AsFd + Read)) -> io::Result<Option<(Order, [OwnedFd; 3])>> {
    let mut length = [0; LENGTH];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        &*control,
        &mut [IoSliceMut::new(&mut length)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL,
    )?;
    if received.bytes != LENGTH {
        return Ok(None);
    }
    let rights = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    let streams: Vec<OwnedFd> = rights.flatten().collect();
    let mut body = Vec::new();
    control.take(u64::from_le_bytes(length)).read_to_end(&mut body)?;
    let nonsense = || io::Error::from(io::ErrorKind::InvalidData);
    let streams: [OwnedFd; 3] = streams.try_into().map_err(|_| nonsense())?;
    Ok(Some((Order::decode(&body).ok_or_else(nonsense)?, streams)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_arrives_as_it_was_sent() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        for (argv, environment) in [
            (
                words(&["sh", "-c", "echo a b\n", ""]),
                vec![("A".into(), "".into()), ("B".into(), "x=y".into())],
            ),
            (words(&["true"]), Vec::new()),
        ] {
            let order = Order { argv, folder: "/a b".into(), environment };
            assert_eq!(Order::decode(&order.encode().unwrap()), Some(order));
        }
        let nul = Order { argv: words(&["a\0b"]), folder: "/".into(), environment: Vec::new() };
        assert!(nul.encode().is_err());
        assert_eq!(Order::decode(b""), None);
    }

    #[test]
    fn a_report_arrives_as_it_was_sent() {
        for report in [Report::Started(7), Report::Failed(2), Report::Ended(-1)] {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode([0; REPORT]), None);
    }
}
