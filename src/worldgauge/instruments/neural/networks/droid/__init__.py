"""DROID-SLAM (Teed and Deng, 2021): dense visual odometry by a recurrent network and a bundle adjustment."""
