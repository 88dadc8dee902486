-- SPDX-License-Identifier: MPL-2.0
-- What programs do with Haskell's System.ZMQ4, one line per case.
{-# LANGUAGE OverloadedStrings #-}
import Control.Concurrent.Async (mapConcurrently)
import Control.Exception (try)
import Control.Monad
import qualified Data.ByteString.Char8 as B
import Data.List.NonEmpty (NonEmpty (..))
import System.ZMQ4

say :: String -> String -> IO ()
say name outcome = putStrLn ("case " ++ name ++ ": " ++ outcome)

exchanges :: Context -> String -> String -> IO ()
exchanges context scheme address =
  withSocket context Rep $ \rep -> withSocket context Req $ \req -> do
    bind rep address
    connect req =<< lastEndpoint rep
    sums <- forM [1 .. 300 :: Int] $ \number -> do
      send req [] (B.pack (show number))
      receive rep >>= send rep []
      read . B.unpack <$> receive req
    say ("300 requests over " ++ scheme) (show (sum sums :: Int))
    sendMulti req ("a" :| ["", "c"])
    receiveMulti rep >>= say ("parts over " ++ scheme) . show
    state <- try (receive rep) :: IO (Either ZMQError B.ByteString)
    say ("state over " ++ scheme) (either (show . errno) (const "none") state)
    send rep [] ""
    receive req >>= say ("empty over " ++ scheme) . show . B.length
    events <- poll 50 [Sock rep [In] Nothing]
    say ("poll over " ++ scheme) (show (map null events))

topics :: Context -> String -> String -> IO ()
topics context scheme address =
  withSocket context XPub $ \pub -> withSocket context Sub $ \sub -> do
    bind pub address
    connect sub =<< lastEndpoint pub
    subscribe sub "x"
    receive pub >>= say ("subscription over " ++ scheme) . show
    forM_ [1 .. 100 :: Int] $ \number -> send pub [] (B.pack ((if odd number then 'x' else 'y') : show number))
    got <- replicateM 50 (receive sub)
    say ("topics over " ++ scheme) (show (last got))
    unsubscribe sub "x"
    receive pub >>= say ("unsubscription over " ++ scheme) . show

main :: IO ()
main = withContext $ \context -> do
  forM_ [("tcp", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"), ("ipc", "ipc://h.sock", "ipc://h2.sock"), ("inproc", "inproc://h", "inproc://h2")] $
    \(scheme, first, second) -> exchanges context scheme first >> topics context scheme second
  withSocket context Pull $ \pull -> do
    bind pull "inproc://many"
    _ <- mapConcurrently (\n -> withSocket context Push $ \push -> connect push "inproc://many" >> forM_ [1 .. 100 :: Int] (\m -> send push [] (B.pack (show (n * m))))) [1 .. 8 :: Int]
    got <- replicateM 800 (read . B.unpack <$> receive pull) :: IO [Int]
    say "eight threads" (show (sum got))
  say "end" "reached"
